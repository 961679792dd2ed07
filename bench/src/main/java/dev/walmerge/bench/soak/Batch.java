package dev.walmerge.bench.soak;

import java.util.List;

/**
 * What one transaction commits.
 *
 * @param number of the batch among those of its writer
 * @param ops to be committed
 * @param undone ops that a savepoint takes back before the commit; often none
 */
record Batch(int number, List<PlannedOp> ops, List<PlannedOp> undone) {}
