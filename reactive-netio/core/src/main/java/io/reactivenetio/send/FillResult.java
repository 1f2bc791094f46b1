// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/** How those who write into a page came out of their turn. */
public enum FillResult {
    /** They have nothing more at the moment. */
    IDLE,
    /** They have more, and the page has room. */
    TURN,
    /** The page is full. */
    FULL
}
