internal import CCryptoShims
internal import Synchronization

/// AES (FIPS 197) of single blocks with one key. The key is expanded once; a block needs no allocation.
///
/// Threads may share a cipher; they take turns. A block alone is not a mode of encryption: use this only for
/// inputs that are unique, or whose equality may be visible.
package final class AESBlockCipher: Sendable {
    /// Sixteen bytes as a number in big-endian order.
    package struct Block: Hashable, Sendable {
        package var high: UInt64
        package var low: UInt64
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }
    package static let blockBytes = 16

    private let context: Mutex<Context>

    /// - Parameter key: 16 or 32 bytes.
    package init(key: SymmetricKey) { context = Mutex(Context(key)) }

    package func encrypt(_ block: Block) -> Block {
        var words = (block.high.bigEndian, block.low.bigEndian)
        context.withLock { context in
            require(unsafe push_aes_encrypt(context.pointer, &words, 1), "AES")
        }
        return Block(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    package func decrypt(_ block: Block) -> Block {
        var words = (block.high.bigEndian, block.low.bigEndian)
        context.withLock { context in
            require(unsafe push_aes_decrypt(context.pointer, &words, 1), "AES")
        }
        return Block(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    /// Encrypts `first` and the blocks that follow it. ``Block/low`` increases by one from block to block and
    /// wraps around.
    /// - Parameter blocks: Replaced by the encrypted blocks.
    package func encrypt(_ count: Int, from first: Block, into blocks: inout [Block]) {
        blocks.removeAll(keepingCapacity: true)
        let high = first.high.bigEndian
        for index in 0..<UInt64(count) {
            blocks.append(Block(high: high, low: (first.low &+ index).bigEndian))
        }
        context.withLock { context in
            require(unsafe push_aes_encrypt(context.pointer, &blocks, count), "AES")
        }
        for index in blocks.indices {
            let block = blocks[index]
            blocks[index] = Block(high: UInt64(bigEndian: block.high), low: UInt64(bigEndian: block.low))
        }
    }

    @safe
    private struct Context: ~Copyable {
        let pointer: OpaquePointer

        init(_ key: SymmetricKey) {
            precondition(key.count == 16 || key.count == 32, "an AES key has 16 or 32 bytes")
            let new = unsafe key.withUnsafeBytes { key in
                unsafe key.baseAddress.flatMap { unsafe push_aes_new($0, key.count) }
            }
            guard let new = unsafe new else { preconditionFailure("libcrypto failed: AES") }
            unsafe pointer = new
        }

        deinit { unsafe push_aes_free(pointer) }
    }
}
