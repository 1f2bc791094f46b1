// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import io.reactivenetio.examples.cli.Terminal;
import java.util.List;

/** What frames are drawn on. Any thread. */
public interface Canvas extends AutoCloseable {

    /** Shows lines that fit {@code now}. */
    void paint(List<Line> lines, Terminal.Size now);

    /** Leaves these lines in place of the frames. */
    void end(List<Line> lines);

    @Override
    void close();
}
