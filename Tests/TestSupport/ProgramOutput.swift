import Foundation

/// A program that is found by PATH, such as a client that a test runs.
package enum ProgramOutput {
    /// Runs the program until it ends, without input.
    /// - Returns: The text that it wrote to its output and its error output.
    package static func of(_ program: String, _ arguments: [String]) async throws -> String {
        try await result(of: program, arguments).text
    }

    /// Runs the program until it ends, without input.
    /// - Returns: The exit status, which is 127 if the program was not found, and the text that the program
    ///   wrote to its output and its error output.
    package static func result(
        of program: String, _ arguments: [String]
    ) async throws -> (status: Int32, text: String) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // Reading blocks a thread, and the cooperative pool has few.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(
                    returning: (process.terminationStatus, String(decoding: data, as: UTF8.self)))
            }
        }
    }
}
