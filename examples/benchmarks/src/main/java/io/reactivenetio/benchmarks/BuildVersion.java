// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the version with its date, or in a checkout with the commit, which the launcher says. */
public final class BuildVersion implements IVersionProvider {
    private static final int DATE = "2026-11-21".length();

    /** Called by picocli. */
    public BuildVersion() {
    }

    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = BuildVersion.class.getResourceAsStream("version.properties")) {
            if (in == null) {
                throw new IOException("this build has no version.properties");
            }
            build.load(in);
        }
        String commit = System.getProperty("netio.commit", "");
        return new String[] {"netio " + build.getProperty("version") + ", "
                + (commit.isEmpty() ? build.getProperty("date").substring(0, DATE) : "commit " + commit)};
    }
}
