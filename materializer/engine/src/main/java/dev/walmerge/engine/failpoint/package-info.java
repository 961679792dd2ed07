/** Named places at which tests, and the crash soak, end, stop or break the process. */
package dev.walmerge.engine.failpoint;
