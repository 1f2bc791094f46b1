// SPDX-License-Identifier: Apache-2.0

/** Internal: requests and answers on the two streams of a tag. It does not know the connections and requesters of users. */
@NullMarked
package io.reactivenetio.request;

import org.jspecify.annotations.NullMarked;
