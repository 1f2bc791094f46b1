// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/** A source whose messages are pages that many senders fill. On the loop. */
public interface PageSource extends CopySource {

    /** Has the senders fill pages. Returns true if a page is ready now that was not before. */
    boolean fill();

    /** Called when the senders have nothing more at the moment. Returns true if that makes a page ready. */
    boolean flush();
}
