// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/** What became of a message that was to go straight into a page. */
public enum AppendResult {
    /** The message is whole: in this page, or in this one and those before it. */
    WHOLE,
    /** The first parts of the message are in pages. The rest is copied and comes first in the next page. */
    BEGUN,
    /** Nothing of the message is in a page: it has to wait. */
    NOT
}
