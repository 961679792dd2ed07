package dev.walmerge.sidecar.replication;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Counts the bytes one replication connection received. The driver does not tell of a keepalive that brings no new LSN,
 * and on an idle server no other sign of life exists.
 */
final class LinkTraffic {
    private static final ConcurrentMap<String, LinkTraffic> REGISTERED = new ConcurrentHashMap<>();
    private static final AtomicLong NAMES = new AtomicLong();

    private final AtomicLong receivedBytes = new AtomicLong();
    private volatile boolean counting;

    /** Whether {@link #receivedBytes()} means anything. Any thread. */
    boolean isCounting() {
        return counting;
    }

    /** Any thread. */
    long receivedBytes() {
        return receivedBytes.get();
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
            traffic.counting = true;
            return new CountingSocket(traffic.receivedBytes);
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

        CountingSocket(AtomicLong receivedBytes) {
            this.receivedBytes = receivedBytes;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new CountingStream(super.getInputStream(), receivedBytes);
        }
    }

    private static final class CountingStream extends FilterInputStream {
        private final AtomicLong receivedBytes;

        CountingStream(InputStream in, AtomicLong receivedBytes) {
            super(in);
            this.receivedBytes = receivedBytes;
        }

        @Override
        public int read() throws IOException {
            int value = super.read();
            count(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int bytes = super.read(buffer, offset, length);
            count(bytes);
            return bytes;
        }

        private void count(int bytes) {
            if (bytes > 0) {
                // One thread reads a socket, so there is no update to lose.
                receivedBytes.lazySet(receivedBytes.get() + bytes);
            }
        }
    }
}
