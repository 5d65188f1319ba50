internal import Glibc

/// A process that this process started without a shell. Its outputs go to files, and no other code reaps it.
///
/// Must not be used by two tasks at the same time.
package final class RunningProcess {
    package let name: String
    package let processID: Int32
    package let output: String
    package let complaints: String
    package private(set) var ending: ExitInfo?

    /// The way in which a process ended, and the resources that it used, including the resources of its own
    /// reaped children.
    package struct ExitInfo: Equatable, Sendable, CustomStringConvertible {
        /// The exit status, or the negative signal number.
        package var status: Int32
        package var cpuSeconds: Double
        package var peakMegabytes: Double

        package var description: String { status < 0 ? "signal \(-status)" : "exit status \(status)" }
    }

    /// Starts `executable` with its standard output and error in files, which are replaced.
    /// - Parameter input: The descriptor that becomes its standard input; `nil` for empty input.
    package init(
        _ executable: String, _ arguments: [String], name: String, output: String, complaints: String,
        input: Int32? = nil
    ) throws(LoadError) {
        self.name = name
        self.output = output
        self.complaints = complaints
        processID = try Self.spawn(executable, arguments, input, output: output, complaints: complaints)
    }

    /// Whether the process is still running. Reaps the process if it has ended.
    package var isRunning: Bool {
        guard ending == nil else { return false }
        return !reap(WNOHANG)
    }

    package func signal(_ number: Int32) {
        if isRunning { kill(processID, number) }
    }

    /// Waits until the process ends by itself.
    package func end(within limit: Duration = Waiting.patience) async throws -> ExitInfo {
        try await Waiting.until("\(name) to end", within: limit) { isRunning ? nil : ending }
    }

    /// Waits until the process ends by itself with exit status 0.
    @discardableResult
    package func endInOrder(within limit: Duration = Waiting.patience) async throws -> ExitInfo {
        let ending = try await end(within: limit)
        guard ending.status == 0 else { throw failure(ending) }
        return ending
    }

    /// Sends SIGTERM and waits for the orderly end.
    @discardableResult
    package func endByRequest() async throws -> ExitInfo {
        signal(SIGTERM)
        return try await endInOrder()
    }

    func endIfRunning() async throws {
        if isRunning { try await endByRequest() }
    }

    /// - Throws: An error if the process has ended.
    package func requireRunning() throws {
        if !isRunning, let ending { throw failure(ending) }
    }

    private func failure(_ ending: ExitInfo) -> LoadError {
        LoadError("\(name) ended with \(ending): \(Folder.lastLines(of: complaints))")
    }

    /// Blocks this thread until the process ends. Use this method only for processes that end by themselves
    /// almost immediately.
    package func wait() -> ExitInfo? {
        if ending == nil { _ = reap(0) }
        return ending
    }

    /// Kills the process immediately, whatever it does.
    @discardableResult
    package func killAndReap() -> ExitInfo? {
        if ending == nil {
            kill(processID, SIGKILL)
            _ = reap(0)
        }
        return ending
    }

    private func reap(_ options: Int32) -> Bool {
        var status: Int32 = 0
        var usage = rusage()
        var result: Int32
        repeat {
            result = unsafe wait4(processID, &status, options, &usage)
        } while result < 0 && errno == EINTR
        guard result == processID else { return false }
        let signal = status & 0x7F
        ending = ExitInfo(
            status: signal == 0 ? (status >> 8) & 0xFF : -signal,
            cpuSeconds: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime),
            peakMegabytes: Double(usage.ru_maxrss) / 1024)
        return true
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ input: Int32?, output: String, complaints: String
    ) throws(LoadError) -> Int32 {
        // A process that inherits one of our descriptors could keep a port, a lock or a pipe alive.
        for descriptor in Folder.names(in: "/proc/self/fd").compactMap(Int32.init) where descriptor > 2 {
            let flags = fcntl(descriptor, F_GETFD)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        if complaints == output {
            unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 2, complaints, flags, 0o600)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var processID: Int32 = 0
        let error = unsafe posix_spawn(&processID, executable, &actions, &attributes, words, environ)
        guard error == 0 else { throw LoadError.system("posix_spawn", on: executable, error) }
        return processID
    }
}
