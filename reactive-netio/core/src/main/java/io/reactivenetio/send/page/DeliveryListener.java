// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/** Waits until what was written has arrived, or has left. On the loop. */
public interface DeliveryListener {

    /** Called once when it has; never, if the connection ends before. */
    void delivered();

    /** Whether somebody still waits for that. Once false it stays so, and the listener need not be kept. */
    boolean isAwaited();
}
