internal import CPushShims
internal import Glibc
internal import PushModel
internal import PushSystem

/// The socket on which `pushmta start` receives reports from the service that it starts. The socket is the
/// counterpart of ``ServiceManager``, and is in a folder that only this user may enter.
final class ReadinessSocket {
    private let descriptor: Int32
    private let folder: String
    let path: String

    enum State: Equatable {
        case ready
        /// The service is not ready yet. The text describes what it waits for.
        case status(String)
    }

    private static let advice = "check the permissions and the free space of /tmp"

    init() throws(CommandFailure) {
        // Use a short path, because a socket's address has 108 bytes.
        var template = Array("/tmp/pushmta-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, let name = unsafe mkdtemp(base) else { return nil }
            return unsafe String(cString: name)
        }
        guard let made else {
            throw .failed("cannot create a folder in /tmp: \(SystemErrorText.of(errno)); \(Self.advice)")
        }
        // The properties are assigned last: if the initialiser of a class throws after all properties are
        // set, the object is deinitialised.
        let name = made + "/notify"
        let listening = unsafe push_unix_datagram_listen(name)
        guard listening >= 0 else {
            let failure = CommandFailure.failed(
                "cannot listen on \(name): \(SystemErrorText.of(errno)); \(Self.advice)")
            unsafe _ = rmdir(made)
            throw failure
        }
        (folder, path, descriptor) = (made, name, listening)
    }

    deinit {
        close(descriptor)
        unsafe _ = unlink(path)
        unsafe _ = rmdir(folder)
    }

    /// Returns the most important report that the service sends within the given time; `nil` if there is
    /// none.
    func next(withinMilliseconds limit: Int32) -> State? {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&item, 1, limit) > 0 else { return nil }
        var word: State?
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while word != .ready {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
            }
            guard count > 0 else { break }
            word = Self.word(in: String(decoding: buffer[..<count], as: UTF8.self)) ?? word
        }
        return word
    }

    private static func word(in text: String) -> State? {
        var word: State?
        for line in text.split(separator: "\n") {
            if line == "READY=1" { return .ready }
            if line.hasPrefix("STATUS=") {
                word = .status(String(line.dropFirst("STATUS=".count)).printable(atMost: 200))
            }
        }
        return word
    }
}
