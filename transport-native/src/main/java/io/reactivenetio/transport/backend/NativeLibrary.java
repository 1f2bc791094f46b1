// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.util.List;

/**
 * The native library under a backend, for people.
 *
 * @param version as the library says it, for instance {@code 2.6.0}
 * @param path the file that was loaded, or "" if the backend needs none
 * @param tested whether this version is one of {@code testedVersions}
 * @param testedVersions those that the backend is tested with, the oldest first; empty if it needs no library
 */
public record NativeLibrary(String version, String path, boolean tested, List<String> testedVersions) {
    public NativeLibrary {
        testedVersions = List.copyOf(testedVersions);
    }
}
