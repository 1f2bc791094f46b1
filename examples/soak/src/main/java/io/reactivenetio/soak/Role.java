// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.List;

/** What a worker process does. */
@FunctionalInterface
interface Role {
    /** Does it, until it is done or {@code lines} have no more commands; then the process ends, with code 0. */
    void run(WorkerLines lines, List<String> arguments) throws Exception;
}
