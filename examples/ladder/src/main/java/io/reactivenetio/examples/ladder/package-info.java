// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs, each with a main method that runs by itself for a second or two, ends with exit code 0, and prints something to
 * look at. {@code ./netio example} lists them, and runs one of them. {@code ./netio docs} makes a page of them. They need nothing
 * but Linux and a JDK 25: both ends are in one process, connected over plain TCP. An IDE needs the VM option
 * {@code --enable-native-access=ALL-UNNAMED}, and over libfabric also {@code -Dnetio.example.backend=libfabric}.
 */
@NullMarked
package io.reactivenetio.examples.ladder;

import org.jspecify.annotations.NullMarked;
