// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/** Why a stream or its senders stopped writing into a page. */
public enum FillResult {
    /** They have no more messages at the moment. */
    IDLE,
    /** They have had their turn and have more messages; the page has room. */
    TURN,
    /** The page is full. */
    FULL
}
