// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.transport.SendCompletion;

/**
 * One message on its way out. It is the endpoint's until it is posted, and the backend's from then on until it is over: the
 * backend only reads it.
 */
public abstract sealed class SendOperation permits SendSlot, GatherSlot {
    private SendCompletion level = SendCompletion.TRANSMITTED;

    /** What has to have happened before it counts as completed. */
    public final SendCompletion level() {
        return level;
    }

    final void level(SendCompletion value) {
        level = value;
    }
}
