// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import org.testng.annotations.AfterClass;
import org.testng.annotations.AfterMethod;

/** What each verification has, whichever of the TCK's classes it extends: connections that are closed behind it. */
interface OverLoopback {
    Loopback loopback();

    /** Closes what the test has left open. */
    @AfterMethod
    default void closeConnections() {
        loopback().closeConnections();
    }

    /** Ends the loops. */
    @AfterClass
    default void close() {
        loopback().close();
    }
}
