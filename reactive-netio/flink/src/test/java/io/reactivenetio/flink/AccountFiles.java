// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.flink.Ledger.Account;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** Writes the last account of each endpoint to a file at each checkpoint and at the end, for a test in another process. */
record AccountFiles(String directory) implements Sink<Account> {
    @Override
    public SinkWriter<Account> createWriter(WriterInitContext context) {
        Map<String, Account> last = new HashMap<>();
        return new SinkWriter<>() {
            @Override
            public void write(Account account, Context none) {
                last.put(account.endpoint(), account);
            }

            @Override
            public void flush(boolean end) throws IOException {
                for (Account account : last.values()) {
                    Path next = Files.writeString(file(account.endpoint() + ".next"), account.run() + " " + account.first() + " "
                            + account.next() + " " + account.arrived() + " " + account.missing() + " " + account.gaps() + " "
                            + account.runs() + " " + account.broken());
                    Files.move(next, file(account.endpoint()), StandardCopyOption.ATOMIC_MOVE);
                }
            }

            @Override
            public void close() {
            }
        };
    }

    private Path file(String endpoint) {
        return Path.of(directory, endpoint.replace(':', '_').replace('/', '_'));
    }

    /** The last account of this endpoint that was written, or one of nothing. */
    Account read(String endpoint) throws IOException {
        try {
            String[] n = Files.readString(file(endpoint)).split(" ");
            return new Account(endpoint, Long.parseLong(n[0]), Long.parseLong(n[1]), Long.parseLong(n[2]), Long.parseLong(n[3]),
                    Long.parseLong(n[4]), Integer.parseInt(n[5]), Integer.parseInt(n[6]), Integer.parseInt(n[7]));
        } catch (NoSuchFileException none) {
            return new Account(endpoint, 0, 0, 0, 0, 0, 0, 0, 0);
        }
    }
}
