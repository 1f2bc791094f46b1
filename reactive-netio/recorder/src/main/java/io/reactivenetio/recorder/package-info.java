// SPDX-License-Identifier: Apache-2.0

/**
 * Records published messages to disk, and serves them again by tag and position.
 *
 * <p>A {@link io.reactivenetio.recorder.NetioRecorder} writes sequenced streams to segment files in a directory. A
 * {@link io.reactivenetio.recorder.NetioRecording} reads them, also while they are written. A
 * {@link io.reactivenetio.recorder.NetioRecordingServer} serves a recording to
 * {@link io.reactivenetio.recorder.NetioRecordingClient}s, and a {@link io.reactivenetio.recorder.NetioReplay} publishes it
 * again.
 */
@NullMarked
package io.reactivenetio.recorder;

import org.jspecify.annotations.NullMarked;
