// SPDX-License-Identifier: Apache-2.0

/** A module as a user has it. */
module com.example.plain {
    requires io.reactivenetio;
}
