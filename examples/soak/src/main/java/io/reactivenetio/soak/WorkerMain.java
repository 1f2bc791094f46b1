// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.Arrays;
import java.util.List;

/** The main class of a worker process: {@code ROLE [ARGUMENTS]}. */
final class WorkerMain {
    private WorkerMain() {
    }

    @SuppressWarnings({"SystemOut", "PMD.DoNotTerminateVM"})
    public static void main(String[] arguments) {
        int code = 0;
        try {
            List<String> all = Arrays.asList(arguments);
            Campaigns.role(all.getFirst()).run(new WorkerLines(), all.subList(1, all.size()));
        } catch (Throwable e) {
            e.printStackTrace();
            code = 1;
        }
        System.exit(code); // also if threads of a fault are left
    }
}
