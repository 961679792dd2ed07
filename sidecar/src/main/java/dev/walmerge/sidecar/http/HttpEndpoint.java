package dev.walmerge.sidecar.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a few small pages over HTTP/1.1, on one thread that waits for nobody: a client has {@link #EXCHANGE_MAX_MILLIS}
 * for its one request, {@link #CONNECTIONS_MAX} may be connected, and when one more comes, the one that is there for
 * longest goes. So clients that say nothing, or send or read slowly, keep nobody else from an answer.
 *
 * <p>It knows no TLS and no passwords: serve nothing that is secret.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
    static final int CONNECTIONS_MAX = 64;
    static final long EXCHANGE_MAX_MILLIS = 5_000;
    private static final long LOOK_MILLIS = 500;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STOP_MILLIS = 2_000;

    private final ServerSocketChannel server;
    private final Selector selector;
    private final Pages pages;
    private final Thread thread = new Thread(this::run, "walmerge-http");
    /** The oldest first. */
    private final Deque<Exchange> exchanges = new ArrayDeque<>();

    private volatile boolean closed;

    private HttpEndpoint(ServerSocketChannel server, Selector selector, Pages pages) {
        this.server = server;
        this.selector = selector;
        this.pages = pages;
    }

    /**
     * Opens the port; what connects is answered from now on.
     *
     * @param address resolved; port 0 takes any that is free
     * @throws IOException when the port is taken, or the address is not one of this machine's
     */
    public static HttpEndpoint open(InetSocketAddress address, Pages pages) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open();
        boolean opened = false;
        try {
            // A restart must not wait until the connections of the last run are forgotten.
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            server.bind(address, CONNECTIONS_MAX);
            server.configureBlocking(false);
            Selector selector = Selector.open();
            server.register(selector, SelectionKey.OP_ACCEPT);
            HttpEndpoint endpoint = new HttpEndpoint(server, selector, pages);
            endpoint.thread.setDaemon(true);
            endpoint.thread.start();
            opened = true;
            return endpoint;
        } finally {
            if (!opened) {
                server.close();
            }
        }
    }

    /** Where it listens, with the port that it took. */
    public InetSocketAddress address() {
        return new InetSocketAddress(
                server.socket().getInetAddress(), server.socket().getLocalPort());
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(exchanges.isEmpty() ? 0 : LOOK_MILLIS);
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.attachment() instanceof Exchange exchange) {
                        advance(exchange, key);
                    } else if (key.isValid()) {
                        accept();
                    }
                }
                selector.selectedKeys().clear();
                closeLate();
            } catch (IOException | RuntimeException | Error e) {
                if (!closed) {
                    recover(e);
                }
            }
        }
        while (!exchanges.isEmpty()) {
            closeOldest();
        }
    }

    /** Out of files or memory: it would be so again at once. The pipeline may get over it, so this thread must, too. */
    private void recover(Throwable why) {
        try {
            closeOldest();
            LOG.warn("http: {}", why.toString());
        } catch (OutOfMemoryError e) {
            // There is not even enough to say so.
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel == null) {
            return;
        }
        boolean accepted = false;
        try {
            if (exchanges.size() >= CONNECTIONS_MAX) {
                closeOldest();
            }
            channel.configureBlocking(false);
            long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EXCHANGE_MAX_MILLIS);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            Exchange exchange = new Exchange(channel, key, pages, deadlineNanos);
            key.attach(exchange);
            exchanges.addLast(exchange);
            accepted = true;
        } finally {
            if (!accepted) {
                channel.close();
            }
        }
    }

    private void advance(Exchange exchange, SelectionKey key) {
        boolean goesOn = false;
        try {
            goesOn = key.isValid() && exchange.advance();
        } catch (IOException e) {
            // The client is gone.
        } finally {
            if (!goesOn) {
                exchanges.remove(exchange);
                exchange.close();
            }
        }
    }

    private void closeLate() {
        long nowNanos = System.nanoTime();
        while (!exchanges.isEmpty() && exchanges.peekFirst().isLate(nowNanos)) {
            closeOldest();
        }
    }

    private void closeOldest() {
        Exchange oldest = exchanges.pollFirst();
        if (oldest != null) {
            oldest.close();
        }
    }

    /** Closes the port and all connections. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try (server;
                selector) {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            LOG.debug("close: {}", e.toString());
        }
    }
}
