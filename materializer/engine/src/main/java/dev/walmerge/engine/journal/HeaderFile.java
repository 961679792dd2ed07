package dev.walmerge.engine.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One {@link Header}, always at the same place: one sector, which a disk writes whole. There is no second place with the
 * one before: that would say less was promised than was.
 */
final class HeaderFile implements AutoCloseable {
    static final String NAME = "journal.header";

    private final FileChannel channel;

    private HeaderFile(FileChannel channel) {
        this.channel = channel;
    }

    static HeaderFile open(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                directory.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new HeaderFile(channel);
    }

    /** Null if there is none, or it is damaged. */
    Header read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Header.BYTES);
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
            // The rest of it.
        }
        return Header.decode(bytes.array());
    }

    void write(Header header) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(header.encode());
        while (bytes.hasRemaining()) {
            channel.write(bytes, bytes.position());
        }
    }

    void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
