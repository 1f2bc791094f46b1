// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/** One whose messages are pages that many senders fill. On the loop. */
public interface PageSource extends CopySource {

    /** Asks the senders for what they have; true if a page is ready now that was not before. */
    boolean fill();

    /** The senders have nothing more at the moment. True if a page is ready for that. */
    boolean flush();
}
