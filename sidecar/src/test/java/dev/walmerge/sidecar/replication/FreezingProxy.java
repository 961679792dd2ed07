package dev.walmerge.sidecar.replication;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Passes TCP on to a local port, and can stop to, without closing anything: what a dead network looks like. */
final class FreezingProxy implements AutoCloseable {
    private static final long FROZEN_PARK_NANOS = 1_000_000;

    private final ServerSocket server;
    private final int targetPort;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicLong passedBytes = new AtomicLong();
    private volatile long freezeAfterBytes = Long.MAX_VALUE;
    private volatile boolean frozen;
    private volatile boolean closed;

    FreezingProxy(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    void freeze() {
        frozen = true;
    }

    /** Freezes when so much was passed on. */
    void freezeAfterBytes(long bytes) {
        freezeAfterBytes = bytes;
    }

    boolean isFrozen() {
        return frozen;
    }

    private void accept() {
        try {
            while (!closed) {
                Socket near = server.accept();
                Socket far = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                sockets.addAll(List.of(near, far));
                daemon(() -> pass(near, far));
                daemon(() -> pass(far, near));
            }
        } catch (IOException e) {
            if (!closed) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[1 << 14];
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
                if (passedBytes.addAndGet(bytes) > freezeAfterBytes) {
                    frozen = true;
                }
                while (frozen && !closed) {
                    LockSupport.parkNanos(FROZEN_PARK_NANOS);
                }
                out.write(buffer, 0, bytes);
            }
        } catch (IOException e) {
            // Either side closed, as it may.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy under test");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
