// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

/** The Java end in this process. */
class LocalEnd extends End {
    private final JavaEnd end = new JavaEnd(this::heard);

    LocalEnd(String name) {
        super(name);
    }

    @Override
    void write(Line command) {
        end.command(command);
    }

    @Override
    String complaint() {
        return "";
    }

    @Override
    public void close() {
        end.close();
    }
}
