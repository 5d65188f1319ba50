internal import Glibc
package import PushConfig
package import PushCrypto
package import PushModel
internal import PushSystem
internal import Synchronization

/// The web module's certificate, which is read again when its files change.
///
/// **Promises.** Each connection starts with the latest valid pair of certificate and key; an invalid pair is
/// ignored. The certificate and the key may be replaced one after the other. The old pair is used until both
/// files match. The key that encrypts session tickets lives for a day, because a person who obtains it can
/// decrypt recorded TLS 1.2 connections whose tickets it encrypted.
package final class WebTLS: Sendable {
    /// The result of reading changed files.
    package enum Change: Equatable {
        case renewed(until: WallTime)
        case refused(String)
    }

    private struct State {
        /// Has its own key for tickets.
        var identity: ServerIdentity
        var created: MonotonicTime
        /// The stamps of the files at the last check, whether or not the files were valid.
        var stamps: [FileStamp?]
    }

    private static let maxSecondsOfTicketKey: Int64 = 86_400
    private let files: TLSFiles
    private let state: Mutex<State>

    package init(
        _ files: TLSFiles, at now: MonotonicTime = Clocks.monotonic()
    ) throws(WebError) {
        self.files = files
        let stamps = Self.stamps(of: files)
        state = Mutex(State(identity: try Self.read(files), created: now, stamps: stamps))
    }

    package var identity: ServerIdentity { state.withLock(\.identity) }
    /// The time at which the certificate expires.
    var notAfter: WallTime { WallTime(secondsSince1970: identity.notAfter) }

    /// Reads the files again if they have changed, or after a day. May wait for the disk.
    /// - Returns: `nil` if the files have not changed since the last check.
    package func refresh(at now: MonotonicTime = Clocks.monotonic()) -> Change? {
        let stamps = Self.stamps(of: files)
        let (known, created) = state.withLock { ($0.stamps, $0.created) }
        let isChanged = known != stamps
        guard isChanged || created.advanced(bySeconds: Self.maxSecondsOfTicketKey) <= now else { return nil }
        do throws(WebError) {
            let identity = try Self.read(files)
            state.withLock { $0 = State(identity: identity, created: now, stamps: stamps) }
            return isChanged ? .renewed(until: notAfter) : nil
        } catch {
            // An unusable pair was reported when the files changed.
            guard isChanged else { return nil }
            state.withLock { $0.stamps = stamps }
            return .refused(error.description)
        }
    }

    private static func read(_ files: TLSFiles) throws(WebError) -> ServerIdentity {
        let chain = try bytes("web/@certificateChain", files.certificateChain)
        let key = try bytes("web/@privateKey", files.privateKey)
        do throws(ServerIdentityError) { return try ServerIdentity(chain: chain, key: key) } catch {
            switch error {
            case .noCertificate:
                throw WebError(
                    """
                    web/@certificateChain: \(files.certificateChain) does not contain a certificate in PEM \
                    format
                    """)
            case .noKey:
                throw WebError(
                    """
                    web/@privateKey: \(files.privateKey) does not contain a private key in PEM format \
                    without a password
                    """)
            case .otherKey:
                throw WebError(
                    "web/@privateKey: \(files.privateKey) is not the key of the first certificate in "
                        + "\(files.certificateChain); use two files that belong together")
            case .refused(let reason):
                throw WebError(
                    """
                    web/@certificateChain: OpenSSL does not accept the first certificate in \
                    \(files.certificateChain) with \(files.privateKey): \(reason); use another certificate
                    """)
            case .refusedChain(let reason):
                throw WebError(
                    """
                    web/@certificateChain: OpenSSL does not accept a later certificate in \
                    \(files.certificateChain): \(reason); remove or replace it
                    """)
            }
        }
    }

    private static func bytes(_ setting: String, _ path: String) throws(WebError) -> [UInt8] {
        do throws(FileContents.Unreadable) {
            return ByteOrderMark.removed(from: try FileContents.bytes(of: path))
        } catch {
            throw WebError("\(setting): \(path) cannot be read: \(error.why)")
        }
    }

    private static func stamps(of files: TLSFiles) -> [FileStamp?] {
        [files.certificateChain, files.privateKey].map { FileStamp($0) }
    }
}

/// A stamp that distinguishes a file from its previous version.
private struct FileStamp: Equatable {
    private let inode: UInt64
    private let bytes: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns `nil` if the file does not exist or is not accessible.
    init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        (inode, bytes) = (UInt64(facts.st_ino), Int64(facts.st_size))
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
