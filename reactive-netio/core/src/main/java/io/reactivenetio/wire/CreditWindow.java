// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/**
 * Counts the credits of one side of a connection: how many pages it may send, and how many credits it owes the peer. A credit is
 * a posted receive buffer. Data and control have credits of their own, so that neither can keep the other waiting.
 * docs/wire-format.md has the rules, and why they cannot dead-lock. Confined to one thread.
 */
public final class CreditWindow {
    /** The least number of control credits: with fewer, two sides could wait for each other. */
    public static final int FEWEST_CONTROL = 3;
    public static final int MOST_CONTROL = 255;
    public static final int MOST_DATA = 65_535;

    private static final int OWED_CONTROL = 2;

    private final int ownData;
    private final int ownControl;
    private final int peerData;
    private final int peerControl;
    private int data;
    private int control;
    /** How many pages of the peer are here, in buffers that are not posted again yet. */
    private int heldData;
    private int heldControl;
    /** How many buffers are posted again that the peer does not know of yet. */
    private int owedData;
    private int owedControl;

    /**
     * The credits at the beginning of a connection.
     *
     * @param ownData,ownControl buffers posted here, as our handshake says
     * @param peerData,peerControl buffers posted there, as the peer's handshake says
     */
    public CreditWindow(int ownData, int ownControl, int peerData, int peerControl) {
        if (Math.min(ownData, peerData) < 1 || Math.max(ownData, peerData) > MOST_DATA
                || Math.min(ownControl, peerControl) < FEWEST_CONTROL || Math.max(ownControl, peerControl) > MOST_CONTROL) {
            throw new IllegalArgumentException("pages for data must be 1 to " + MOST_DATA + ", for control " + FEWEST_CONTROL
                    + " to " + MOST_CONTROL + ": " + ownData + ", " + ownControl + " and " + peerData + ", " + peerControl);
        }
        this.ownData = ownData;
        this.ownControl = ownControl;
        this.peerData = peerData;
        this.peerControl = peerControl;
        this.data = peerData;
        this.control = peerControl;
    }

    /** Whether a page with DATA may be sent. */
    public boolean maySendData() {
        return data > 0;
    }

    /** Whether a page without DATA may be sent. The last control credit is kept for pages that return credits. */
    public boolean maySendControl() {
        return control > 1 || control == 1 && owedControl > 0;
    }

    /** Whether a page should be sent only to return credits, when nothing else is to be sent. */
    public boolean shouldReturn() {
        boolean low = owedData > 0 && ownData - heldData - owedData <= ownData / 2;
        return (low || owedControl >= OWED_CONTROL) && maySendControl();
    }

    /**
     * Whether such a page is worth sending if nothing else is sent for a while. Where the peer is far away, credits that are kept
     * here until half of them are owed are missing there.
     */
    public boolean shouldReturnSoon() {
        return owedData >= Math.max(1, ownData / 8) && maySendControl();
    }

    /** How many data credits the page that is about to be sent returns. {@link #sent} has to follow. */
    public int owedData() {
        return owedData;
    }

    /** How many control credits the page that is about to be sent returns. {@link #sent} has to follow. */
    public int owedControl() {
        return owedControl;
    }

    /** Notes that a page was sent, with all credits that were owed. */
    public void sent(boolean dataPage) {
        if (dataPage ? !maySendData() : !maySendControl()) {
            throw new IllegalStateException("no credit for a page with" + (dataPage ? "" : "out") + " data: " + this);
        }
        if (dataPage) {
            data--;
        } else {
            control--;
        }
        owedData = 0;
        owedControl = 0;
    }

    /**
     * Notes that a page has arrived, which returns credits, and whose buffer is held until {@link #posted}.
     *
     * @throws ProtocolException if the peer had no credit for it, or returns more than it was sent
     */
    public void received(boolean dataPage, int dataCredits, int controlCredits) throws ProtocolException {
        if (dataPage ? heldData + owedData == ownData : heldControl + owedControl == ownControl) {
            throw new ProtocolException("the peer sent a page with" + (dataPage ? "" : "out")
                    + " data although it had no credit for it: " + this);
        }
        if (dataCredits < 0 || dataCredits > peerData - data || controlCredits < 0 || controlCredits > peerControl - control) {
            throw new ProtocolException("the peer returned " + dataCredits + " data and " + controlCredits
                    + " control credits, more than were out: " + this);
        }
        data += dataCredits;
        control += controlCredits;
        if (dataPage) {
            heldData++;
        } else {
            heldControl++;
        }
    }

    /** Notes that the buffer of such a page is posted again: only now it counts as a credit. */
    public void posted(boolean dataPage) {
        if ((dataPage ? heldData : heldControl) == 0) {
            throw new IllegalStateException("no page with" + (dataPage ? "" : "out") + " data is held: " + this);
        }
        if (dataPage) {
            heldData--;
            owedData++;
        } else {
            heldControl--;
            owedControl++;
        }
    }

    @Override
    public String toString() {
        return "credits for " + data + " of " + peerData + " data and " + control + " of " + peerControl + " control pages; of"
                + " the peer's " + ownData + " and " + ownControl + ", " + heldData + " and " + heldControl + " are held, "
                + owedData + " and " + owedControl + " owed";
    }
}
