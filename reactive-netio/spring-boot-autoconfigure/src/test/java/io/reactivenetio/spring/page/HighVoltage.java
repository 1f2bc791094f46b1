// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.page;

import io.reactivenetio.spring.annotation.NetioMapping;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.core.Authentication;
import org.springframework.stereotype.Component;

/** What docs/spring.md shows. */
public final class HighVoltage {

    private HighVoltage() {
    }

    // page
    @Component
    static class Ramp {
        @NetioMapping("40")
        @PreAuthorize("hasAuthority('control')")
        public String to(String volts, Authentication asking) {
            return asking.getName() + " ramps to " + volts;
        }
    }
    // page end
}
