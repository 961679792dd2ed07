package dev.walmerge.sidecar.replication;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;

/**
 * What arrives on one replication connection, seen below the driver and below TLS: counts it, as the driver does not tell
 * of a keepalive that brings no new LSN and on an idle server no other sign of life exists; and waits for it, as the
 * driver can only be asked again and again.
 */
final class LinkTraffic {
    private static final ConcurrentMap<String, LinkTraffic> REGISTERED = new ConcurrentHashMap<>();
    private static final AtomicLong NAMES = new AtomicLong();

    private final AtomicLong receivedBytes = new AtomicLong();
    private volatile boolean counting;
    private volatile CountingSocket socket;

    /** Whether {@link #receivedBytes()} means anything. Any thread. */
    boolean isCounting() {
        return counting;
    }

    /** Any thread. */
    long receivedBytes() {
        return receivedBytes.get();
    }

    /**
     * Waits until something arrives or the link breaks, which the next read then tells. For the reader's thread, after a
     * read that found nothing.
     *
     * @return false when nothing arrived in that time, or at once when sockets of somebody else are in use
     */
    boolean awaitArrival(int maxMillis) {
        CountingSocket current = socket;
        return current != null && current.awaitArrival(maxMillis);
    }

    /**
     * Whether a read waits a moment first, unless much is there. For the reader's thread.
     */
    void gather(boolean on) {
        CountingSocket current = socket;
        if (current != null) {
            current.gather(on);
        }
    }

    /** Makes this findable for {@link Sockets}, whom the driver hands nothing but a string, until closed. */
    Registration register() {
        String name = Long.toString(NAMES.incrementAndGet());
        REGISTERED.put(name, this);
        return new Registration(name);
    }

    record Registration(String name) implements AutoCloseable {
        @Override
        public void close() {
            REGISTERED.remove(name);
        }
    }

    /** Public because the driver makes it by its name; nobody else should. */
    public static final class Sockets extends SocketFactory {
        private final LinkTraffic traffic;

        /** @param name of a {@link Registration} */
        public Sockets(String name) {
            traffic = REGISTERED.get(name);
            if (traffic == null) {
                throw new IllegalArgumentException("no link is registered as " + name);
            }
        }

        @Override
        public Socket createSocket() {
            CountingSocket socket = new CountingSocket(traffic.receivedBytes);
            traffic.counting = true;
            // The driver may try several addresses: the last one is the one it stayed with.
            traffic.socket = socket;
            return socket;
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
            return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return connected(new InetSocketAddress(host, port), null);
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
                throws IOException {
            return connected(new InetSocketAddress(address, port), new InetSocketAddress(localAddress, localPort));
        }

        private Socket connected(InetSocketAddress remote, InetSocketAddress local) throws IOException {
            Socket socket = createSocket();
            try {
                socket.bind(local);
                socket.connect(remote);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }
    }

    private static final class CountingSocket extends Socket {
        private final AtomicLong receivedBytes;
        private CountingStream stream;

        CountingSocket(AtomicLong receivedBytes) {
            this.receivedBytes = receivedBytes;
        }

        /** Always the same one: a byte that was waited for must be there for whoever asks next, the driver or TLS. */
        @Override
        public synchronized InputStream getInputStream() throws IOException {
            if (stream == null) {
                stream = new CountingStream(super.getInputStream(), receivedBytes);
            }
            return stream;
        }

        void gather(boolean on) {
            CountingStream current = stream;
            if (current != null) {
                current.gathering = on;
            }
        }

        boolean awaitArrival(int maxMillis) {
            try {
                int timeoutMillis = getSoTimeout();
                setSoTimeout(maxMillis);
                try {
                    ((CountingStream) getInputStream()).fetch();
                    return true;
                } catch (SocketTimeoutException e) {
                    return false;
                } finally {
                    setSoTimeout(timeoutMillis);
                }
            } catch (IOException e) {
                // The driver meets the same at its next read, and knows how to say it.
                return true;
            }
        }
    }

    private static final class CountingStream extends FilterInputStream {
        private static final int NONE = -1;
        private static final int GATHER_BYTES = 4096;
        private static final long GATHER_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

        private final AtomicLong receivedBytes;
        /** Of the thread that reads. */
        private boolean gathering;
        /** A byte that was waited for and is to be read next. */
        private int fetched = NONE;

        CountingStream(InputStream in, AtomicLong receivedBytes) {
            super(in);
            this.receivedBytes = receivedBytes;
        }

        /** Waits for a byte, or the end. */
        void fetch() throws IOException {
            if (fetched == NONE) {
                fetched = super.read();
                count(fetched == NONE ? 0 : 1);
            }
        }

        @Override
        public int read() throws IOException {
            fetch();
            int value = fetched;
            fetched = NONE;
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (gathering && super.available() < GATHER_BYTES) {
                LockSupport.parkNanos(GATHER_NANOS);
            }
            if (fetched == NONE || length == 0) {
                int bytes = super.read(buffer, offset, length);
                count(bytes);
                return bytes;
            }
            buffer[offset] = (byte) fetched;
            fetched = NONE;
            // What came with that byte is there already; more must not be waited for.
            int more = Math.min(super.available(), length - 1);
            if (more <= 0) {
                return 1;
            }
            int bytes = super.read(buffer, offset + 1, more);
            count(bytes);
            return 1 + Math.max(0, bytes);
        }

        @Override
        public int available() throws IOException {
            return super.available() + (fetched == NONE ? 0 : 1);
        }

        @Override
        public long skip(long bytes) throws IOException {
            if (bytes <= 0) {
                return 0;
            }
            // Nobody skips much here, and what is skipped counts too.
            return read() == NONE ? 0 : 1;
        }

        private void count(int bytes) {
            if (bytes > 0) {
                // One thread reads a socket, so there is no update to lose.
                receivedBytes.lazySet(receivedBytes.get() + bytes);
            }
        }
    }
}
