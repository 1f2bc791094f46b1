// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Adds up in Flink's state what an endpoint has told, which has to be contiguous, and emits the account after each record. */
final class Ledger extends KeyedProcessFunction<String, Told, Ledger.Account> {
    /**
     * What is known of an endpoint.
     *
     * @param first the number of the first message that was told
     * @param next the number of the message that has to be told next
     * @param arrived how many arrived
     * @param missing how many are missing
     * @param gaps in how many gaps
     * @param runs how often the run changed
     * @param broken how often something else was told than what comes next
     */
    public record Account(String endpoint, long run, long first, long next, long arrived, long missing, int gaps, int runs,
            int broken) {
    }

    /** The last account of each endpoint, for tests in the JVM of the job. */
    static final Map<String, Account> LAST = new ConcurrentHashMap<>();

    private static final long serialVersionUID = 1;

    private transient ValueState<Account> state;

    @Override
    public void open(OpenContext context) {
        state = getRuntimeContext().getState(new ValueStateDescriptor<>("account", Account.class));
    }

    @Override
    public void processElement(Told told, Context context, Collector<Account> out) throws Exception {
        Account account = add(state.value(), told);
        state.update(account);
        LAST.put(told.endpoint(), account);
        out.collect(account);
    }

    private static Account add(Account before, Told told) {
        Account a = before != null ? before : new Account(told.endpoint(), told.run(), told.from(), told.from(), 0, 0, 0, 0, 0);
        if (told.to() < 0) {
            return new Account(a.endpoint, told.run(), a.first, 0, a.arrived, a.missing, a.gaps, a.runs + 1, a.broken);
        }
        long messages = told.to() - told.from() + 1;
        int broken = told.run() == a.run && told.from() == a.next ? a.broken : a.broken + 1;
        return new Account(a.endpoint, a.run, a.first, told.to() + 1, a.arrived + (told.arrived() ? messages : 0),
                a.missing + (told.arrived() ? 0 : messages), a.gaps + (told.arrived() ? 0 : 1), a.runs, broken);
    }
}
