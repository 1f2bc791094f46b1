// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

/** An end of a pair, for the parts of the pair. */
enum PairSide { SERVER, CLIENT }
