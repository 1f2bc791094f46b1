// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

/** The framings, as a parameter of benchmarks. */
public enum FramingKind {
    RAW,
    PAGE,
    STREAM
}
