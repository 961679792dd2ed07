package dev.walmerge.sidecar;

import dev.walmerge.sidecar.embedded.ServerNode;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes the Postgres protocol on to a server that can be exchanged, and cuts all connections after a number of messages
 * from it, also inside one. Without TLS, as it must see messages.
 */
final class Relay implements AutoCloseable {
    private static final int HEADER_BYTES = 5;

    /** One connection of a client, both ends. */
    private record Link(Socket near, Socket far) {
        void cut() {
            close(near);
            close(far);
        }
    }

    private final ServerSocket server;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Link> replicationLinks = ConcurrentHashMap.newKeySet();
    private volatile int targetPort;
    private volatile boolean keepReplication;
    private volatile boolean closed;
    // Guarded by this.
    private long messagesLeft = Long.MAX_VALUE;
    private boolean replicationOnly;
    private int bytesOfTheNext;
    private int cuts;

    Relay(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    String url() {
        return ServerNode.url(server.getLocalPort()) + "&sslmode=disable&gssEncMode=disable";
    }

    /** From now on new connections go there. Those that stream a slot live on if so wished; the others are cut. */
    void switchTo(int port, boolean keepReplication) {
        targetPort = port;
        this.keepReplication = keepReplication;
        cutAll();
        this.keepReplication = false;
    }

    void cutAll() {
        for (Link link : links) {
            if (!keepReplication || !isReplication(link)) {
                link.cut();
            }
        }
    }

    /**
     * Cuts everything, once.
     *
     * @param messages from the server that still pass
     * @param bytesOfTheNext how much of the message after them passes too
     * @param replicationOnly whether only those of the connection that streams the slot count
     */
    synchronized void cutAfter(long messages, int bytesOfTheNext, boolean replicationOnly) {
        this.messagesLeft = messages;
        this.bytesOfTheNext = bytesOfTheNext;
        this.replicationOnly = replicationOnly;
    }

    /** Gives up what {@link #cutAfter} asked for, if it did not come to that. */
    synchronized void disarm() {
        messagesLeft = Long.MAX_VALUE;
    }

    /** How often {@link #cutAfter} did cut. */
    synchronized int cuts() {
        return cuts;
    }

    private boolean isReplication(Link link) {
        return replicationLinks.contains(link);
    }

    /** How much of a message may pass, or -1 for all of it. */
    private synchronized int allowed(boolean replication) {
        if ((replicationOnly && !replication) || messagesLeft == Long.MAX_VALUE) {
            return -1;
        }
        if (messagesLeft > 0) {
            messagesLeft--;
            return -1;
        }
        messagesLeft = Long.MAX_VALUE;
        cuts++;
        return bytesOfTheNext;
    }

    private void accept() {
        while (!closed) {
            try {
                Socket near = server.accept();
                try {
                    Socket far = new Socket(InetAddress.getLoopbackAddress(), targetPort);
                    Link link = new Link(near, far);
                    links.add(link);
                    daemon(() -> toServer(link));
                } catch (IOException e) {
                    close(near);
                }
            } catch (IOException e) {
                // Closed.
            }
        }
    }

    private void toServer(Link link) {
        try (InputStream in = link.near.getInputStream();
                OutputStream out = link.far.getOutputStream()) {
            DataInputStream start = new DataInputStream(in);
            int length = start.readInt();
            byte[] startup = start.readNBytes(length - Integer.BYTES);
            boolean replication = new String(startup, StandardCharsets.ISO_8859_1).contains("\0replication\0");
            if (replication) {
                replicationLinks.add(link);
            }
            daemon(() -> toClient(link, replication));
            out.write(ByteBuffer.allocate(length).putInt(length).put(startup).array());
            byte[] buffer = new byte[1 << 14];
            for (int bytes = in.read(buffer); bytes >= 0; bytes = in.read(buffer)) {
                out.write(buffer, 0, bytes);
            }
        } catch (IOException e) {
            // Either side closed, as it may.
        } finally {
            end(link);
        }
    }

    private void toClient(Link link, boolean replication) {
        byte[] buffer = new byte[1 << 14];
        try (DataInputStream in = new DataInputStream(link.far.getInputStream());
                OutputStream out = link.near.getOutputStream()) {
            while (true) {
                in.readFully(buffer, 0, HEADER_BYTES);
                int left = ByteBuffer.wrap(buffer, 1, Integer.BYTES).getInt() - Integer.BYTES;
                int allowed = allowed(replication);
                if (allowed >= 0) {
                    out.write(buffer, 0, Math.min(HEADER_BYTES, allowed));
                    int more = Math.min(left, Math.max(0, allowed - HEADER_BYTES));
                    out.write(in.readNBytes(more));
                    out.flush();
                    cutAll();
                    return;
                }
                out.write(buffer, 0, HEADER_BYTES);
                while (left > 0) {
                    int bytes = in.read(buffer, 0, Math.min(left, buffer.length));
                    if (bytes < 0) {
                        return;
                    }
                    out.write(buffer, 0, bytes);
                    left -= bytes;
                }
            }
        } catch (IOException e) {
            // Either side closed, as it may.
        } finally {
            end(link);
        }
    }

    private void end(Link link) {
        link.cut();
        links.remove(link);
        replicationLinks.remove(link);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        server.close();
        List.copyOf(links).forEach(Link::cut);
    }
}
