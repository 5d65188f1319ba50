internal import Synchronization

/// A pipe that carries the bytes of a body from one task to another. It holds a limited number of bytes, so a
/// writer may have to wait for room.
///
/// There is one reader and one writer.
final class BytePipe: Sendable {
    struct PipeAbandonedError: Error {}

    private struct State {
        var bytes: [UInt8] = []
        /// How the stream ended; `nil` if it has not ended.
        var end: Result<Void, any Error>?
        var isAbandoned = false
        var reader: CheckedContinuation<Void, Never>?
        var writer: CheckedContinuation<Void, Never>?

        var isReadable: Bool { bytes.count >= BytePipe.minPieceBytes || end != nil }
        var isWritable: Bool { bytes.count < BytePipe.capacityBytes || isAbandoned }
    }

    private static let capacityBytes = 2 << 20
    /// The reader is woken when the pipe holds at least this many bytes, or when the stream has ended.
    private static let minPieceBytes = 256 << 10

    private let state = Mutex(State())

    /// Whether a writer must wait for the reader.
    var isFull: Bool { state.withLock { !$0.isWritable } }

    /// - Throws: ``PipeAbandonedError`` if the reader has stopped.
    nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.isWritable { state.writer = continuation }
                return state.isWritable
            }
            if isReady { continuation.resume() }
        }
        let (isAbandoned, reader) = state.withLock { state in
            state.bytes += bytes
            return (state.isAbandoned, state.isReadable ? state.reader.take() : nil)
        }
        reader?.resume()
        if isAbandoned { throw PipeAbandonedError() }
    }

    /// - Parameter error: The reason why the bytes are incomplete; `nil` if they are complete.
    func finish(_ error: (any Error)? = nil) {
        state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(())
            return state.reader.take()
        }?.resume()
    }

    /// - Returns: At most the requested number of bytes; an empty array at the end.
    /// - Throws: The error that was passed to ``finish(_:)``.
    nonisolated(nonsending) func read(_ limit: Int) async throws -> [UInt8] {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.isReadable { state.reader = continuation }
                return state.isReadable
            }
            if isReady { continuation.resume() }
        }
        let (piece, end, writer) = state.withLock { state in
            var piece = state.bytes
            if piece.count > limit {
                piece = Array(state.bytes.prefix(limit))
                state.bytes.removeFirst(limit)
            } else {
                state.bytes = []
            }
            return (piece, state.end, state.isWritable ? state.writer.take() : nil)
        }
        writer?.resume()
        if piece.isEmpty { try end?.get() }
        return piece
    }

    /// Marks the reader as stopped.
    func abandon() {
        state.withLock { state in
            state.isAbandoned = true
            return state.writer.take()
        }?.resume()
    }
}
