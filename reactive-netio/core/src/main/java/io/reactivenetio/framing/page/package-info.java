// SPDX-License-Identifier: Apache-2.0

/** Internal: PAGE framing. Many messages in each buffer, in netio3's page format. */
@NullMarked
package io.reactivenetio.framing.page;

import org.jspecify.annotations.NullMarked;
