// SPDX-License-Identifier: Apache-2.0

/** Gives servers, clients and loops the settings of {@code netio.*}, and tells of those that are refused. Internal. */
@NullMarked
package io.reactivenetio.spring.settings;

import org.jspecify.annotations.NullMarked;
