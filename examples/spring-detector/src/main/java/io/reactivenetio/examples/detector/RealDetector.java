// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

/** A detector that is a program of its own: what the application knows of it is what arrives. */
final class RealDetector implements Detector {
    @Override
    public boolean isSimulated() {
        return false;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public long events() {
        return 0;
    }

    @Override
    public long vetoed() {
        return 0;
    }

    @Override
    public Sample.Link link(int number, long received) {
        return new Sample.Link(received, 0, 0, 0, 1);
    }

    @Override
    public void kill() {
        throw new IllegalStateException("the detector is not simulated");
    }

    @Override
    public void revive() {
        kill();
    }
}
