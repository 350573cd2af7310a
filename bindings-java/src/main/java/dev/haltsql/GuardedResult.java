package dev.haltsql;

/** What a statement in a guard's own transaction gave back, and the receipt of that very run. */
public final class GuardedResult extends GuardedRows {
    private final Receipt receipt;

    GuardedResult(Verdict verdict, Answered answered, Receipt receipt) {
        super(verdict, answered);
        this.receipt = receipt;
    }

    /**
     * The receipt.
     *
     * @return what ran, for whom, and what came back
     */
    public Receipt receipt() {
        return receipt;
    }
}
