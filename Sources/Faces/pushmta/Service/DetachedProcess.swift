internal import CPushShims
internal import Glibc
internal import PushSystem

/// A `pushmta run` that outlives the process that started it. The process leads its own session, runs in the
/// folder `/`, and appends its output to a file.
struct DetachedProcess {
    let processID: pid_t

    /// - Parameter output: The file to which the process's output is appended, including the reason why it
    ///   ended.
    init(_ executable: String, _ arguments: [String], output: String) throws(CommandFailure) {
        let file = unsafe open(output, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
        guard file >= 0 else {
            throw .failed(
                """
                cannot write the log file \(output): \(SystemErrorText.of(errno)); name another with \
                --log-file
                """
            )
        }
        defer { close(file) }
        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var process: pid_t = 0
        let error = unsafe push_spawn_detached(executable, words, file, &process)
        guard error == 0 else {
            throw .failed(
                """
                cannot start \(executable): \(SystemErrorText.of(error)); check the limits on memory and \
                processes
                """)
        }
        processID = process
    }

    /// Returns the exit status with which the process ended; `nil` while the process is alive.
    func ending() -> Int32? {
        var status: Int32 = 0
        let result = unsafe waitpid(processID, &status, WNOHANG)
        guard result == processID else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
    }
}
