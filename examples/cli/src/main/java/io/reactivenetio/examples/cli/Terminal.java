// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The terminal that an output of this process goes to. */
public final class Terminal {
    /** The descriptor of standard output. */
    public static final int OUT = 1;
    /** The descriptor of standard error. */
    public static final int ERR = 2;

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,5}) ([0-9]{1,5})");
    private static final long PATIENCE_MILLIS = 1_000;

    private final Path device;

    private Terminal(Path device) {
        this.device = device;
    }

    /** How large a terminal is, in characters; each at least 1. */
    public record Size(int columns, int rows) {
        /** What most have, and where it is not known. */
        public static final Size USUAL = new Size(80, 24);
    }

    /** The terminal behind a descriptor; null if that is none: a file, a pipe. */
    public static @Nullable Terminal of(int descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            String name = target.toString();
            boolean terminal = name.startsWith("/dev/pts/") || name.startsWith("/dev/tty") || name.equals("/dev/console");
            return terminal ? new Terminal(target) : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether a terminal that calls itself so (the environment's TERM) can move its cursor; null: it says nothing. */
    public static boolean movesCursor(@Nullable String term) {
        return term != null && !term.isEmpty() && !term.equals("dumb");
    }

    /** Whether colours are wanted: unless the environment's NO_COLOR says something, see no-color.org. */
    public static boolean wantsColours(@Nullable String noColor) {
        return noColor == null || noColor.isEmpty();
    }

    /** Its size now, asked of stty(1), which takes some milliseconds; {@code otherwise} if that is not known. */
    public Size size(Size otherwise) {
        try {
            Process stty = new ProcessBuilder("stty", "size").redirectInput(device.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            if (!stty.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                stty.destroyForcibly();
                return otherwise;
            }
            String line = stty.inputReader().readLine();
            return parse(line == null ? "" : line, otherwise);
        } catch (IOException e) {
            return otherwise;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    /** Parses rows and columns as stty tells them; 0 is how a terminal says that it does not know. */
    static Size parse(String line, Size otherwise) {
        Matcher numbers = SIZE.matcher(line.strip());
        if (!numbers.matches()) {
            return otherwise;
        }
        int rows = Integer.parseInt(numbers.group(1));
        int columns = Integer.parseInt(numbers.group(2));
        return new Size(columns > 0 ? columns : otherwise.columns(), rows > 0 ? rows : otherwise.rows());
    }
}
