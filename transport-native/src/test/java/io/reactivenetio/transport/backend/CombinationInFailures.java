// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** A report names only the test and the index of the combination: the failure says which that was. */
final class CombinationInFailures implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw named(context, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw named(context, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throw named(context, failure);
    }

    private static Throwable named(ExtensionContext context, Throwable failure) {
        return failure instanceof TestAbortedException ? failure : new AssertionError(
                "over " + ((Contract) context.getRequiredTestInstance()).combination + ": " + failure.getMessage(), failure);
    }
}
