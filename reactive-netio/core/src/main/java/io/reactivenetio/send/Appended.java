// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/** What became of a message that was to go straight into a page. */
public enum Appended {
    /** It is in this page whole, or in this and those before it. */
    WHOLE,
    /** Its first parts are, the rest is copied and comes first in the next page. */
    BEGUN,
    /** Nothing of it is: it has to wait. */
    NOT
}
