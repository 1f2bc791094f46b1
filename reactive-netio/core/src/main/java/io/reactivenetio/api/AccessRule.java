// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.security.Principal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Grants rights to tags.
 *
 * @param principal {@linkplain Principal#getName the name} of the peer, such as {@code CN=reader,O=Example} for a certificate
 *     (RFC 2253), or {@value #ANYBODY}
 * @param tags which tags; a subscription to a pattern has to be within them as a whole
 * @param rights what the peer may do with them
 */
public record AccessRule(String principal, Tags tags, Set<Right> rights) {
    /** In place of a name: every peer, and one of which nobody knows who it is. */
    public static final String ANYBODY = "*";

    /** @throws IllegalArgumentException if the name is blank or there are no rights */
    public AccessRule {
        if (principal.isBlank()) {
            throw new IllegalArgumentException("a rule for nobody: name the principal, or \"" + ANYBODY + "\" for anybody");
        }
        rights = Set.copyOf(rights);
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("a rule for " + principal + " that grants nothing: name one right or more");
        }
    }

    /** Whether this rule alone grants {@code peer} this right to all of {@code wanted}. */
    public boolean grants(@Nullable Principal peer, Right right, Tags wanted) {
        boolean isMeant = principal.equals(ANYBODY) || peer != null && principal.equals(peer.getName());
        return isMeant && rights.contains(right) && tags.containsAll(wanted);
    }
}
