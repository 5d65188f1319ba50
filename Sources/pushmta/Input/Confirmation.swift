internal import Glibc

/// A question before something that cannot be undone: asked on a terminal, refused elsewhere.
enum Confirmation {
    /// - Parameters:
    ///   - question: what would be done.
    ///   - elsewhere: what to say where there is nobody to ask.
    ///   - refusal: what to say where the answer is not yes.
    static func ask(_ question: String, elsewhere: String, refusal: String) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1, StandardError.isTerminal else { throw .refused(elsewhere) }
        StandardError.write(question + " [y/N] ")
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else { throw .refused(refusal) }
    }
}
