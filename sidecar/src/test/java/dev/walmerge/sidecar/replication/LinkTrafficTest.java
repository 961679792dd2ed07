package dev.walmerge.sidecar.replication;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A byte that was waited for is read next, once, by whoever reads. */
final class LinkTrafficTest {
    private static final int WAIT_MILLIS = 20;
    private static final int PATIENCE_MILLIS = 30_000;

    private final LinkTraffic traffic = new LinkTraffic();
    private ServerSocket listener;
    private Socket ours;
    private Socket theirs;

    @BeforeEach
    void connect() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        try (LinkTraffic.Registration registration = traffic.register()) {
            ours = new LinkTraffic.Sockets(registration.name())
                    .createSocket(listener.getInetAddress(), listener.getLocalPort());
        }
        theirs = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        ours.close();
        theirs.close();
        listener.close();
    }

    @Test
    void nothingArrives() throws IOException {
        assertFalse(traffic.awaitArrival(WAIT_MILLIS));
        assertEquals(0, traffic.receivedBytes());
        assertEquals(0, ours.getInputStream().available());
    }

    @Test
    void whatWasWaitedForIsReadOnce() throws IOException {
        theirs.getOutputStream().write(new byte[] {1, 2, -1});
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS));
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS), "it is still there");
        InputStream in = ours.getInputStream();
        assertTrue(in.available() >= 1);
        assertArrayEquals(new byte[] {1, 2, -1}, in.readNBytes(3));
        assertEquals(3, traffic.receivedBytes());
        assertFalse(traffic.awaitArrival(WAIT_MILLIS));
    }

    @Test
    void oneByteAtATime() throws IOException {
        theirs.getOutputStream().write(new byte[] {-1, 0});
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS));
        InputStream in = ours.getInputStream();
        assertEquals(255, in.read());
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS));
        assertEquals(1, in.skip(5));
        assertEquals(2, traffic.receivedBytes());
    }

    @Test
    void aReadBehindTheWaitDoesNotBlockForMore() throws IOException {
        theirs.getOutputStream().write(7);
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS));
        byte[] buffer = new byte[10];
        assertEquals(1, ours.getInputStream().read(buffer, 3, 7));
        assertEquals(7, buffer[3]);
    }

    @Test
    void theEndIsToldByTheNextRead() throws IOException {
        theirs.close();
        assertTrue(traffic.awaitArrival(PATIENCE_MILLIS));
        assertEquals(-1, ours.getInputStream().read(new byte[4], 0, 4));
    }

    @Test
    void theTimeoutOfTheOwnerStays() throws IOException {
        ours.setSoTimeout(WAIT_MILLIS);
        assertFalse(traffic.awaitArrival(1));
        assertEquals(WAIT_MILLIS, ours.getSoTimeout());
        InputStream in = ours.getInputStream();
        assertThrows(SocketTimeoutException.class, in::read);
    }
}
