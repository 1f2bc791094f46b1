// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All campaigns, in the order in which they run, and all roles of worker processes. */
final class Campaigns {
    private Campaigns() {
    }

    static List<Campaign> all() {
        return List.of(
                new Traffic(),
                new Deaths(),
                new Wire(),
                new Many(),
                new Little(),
                new Liars(),
                new Readout());
    }

    static Role role(String name) {
        Map<String, Role> roles = new TreeMap<>();
        all().forEach(campaign -> roles.putAll(campaign.roles()));
        Role role = roles.get(name);
        if (role == null) {
            throw new IllegalArgumentException("there is no role " + name + ", but " + roles.keySet());
        }
        return role;
    }
}
