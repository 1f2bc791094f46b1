// SPDX-License-Identifier: Apache-2.0
/** Event messages of the European Spallation Source, from a detector to subscribers and to Kafka, byte for byte. */
@NullMarked
package io.reactivenetio.examples.ess;

import org.jspecify.annotations.NullMarked;
