// SPDX-License-Identifier: Apache-2.0

/** As a user has it. */
module com.example.plain {
    requires io.reactivenetio;
}
