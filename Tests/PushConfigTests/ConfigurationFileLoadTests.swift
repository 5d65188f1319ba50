import Foundation
import Glibc
import PushConfig
import PushConnectors
import TestSupport
import Testing

@Suite struct ConfigurationFileLoadTests {
    @Test func `a file is read from its location, and paths in the file are relative to this location`()
        throws
    {
        try TemporaryFolder.with { folder in
            try Data("<serverConf/>".utf8).write(to: URL(fileURLWithPath: "\(folder)/serverConf.xml"))
            let loaded = try ConfigurationFile.load(
                path: "\(folder)/serverConf.xml", schema: ConnectorCatalogue.settings)
            #expect(loaded.settings.store.server == "\(folder)/var/pushmta.db")
            #expect(loaded.path == "\(folder)/serverConf.xml")
        }
    }

    @Test func `a relative path starts at the working directory, and paths in the settings become absolute`()
        throws
    {
        try TemporaryFolder.with { folder in
            try Data("<serverConf/>".utf8).write(to: URL(fileURLWithPath: "\(folder)/serverConf.xml"))
            let here = FileManager.default.currentDirectoryPath
            let up = here.split(separator: "/").map { _ in ".." }.joined(separator: "/")
            let loaded = try ConfigurationFile.load(
                path: "\(up)\(folder)/serverConf.xml", schema: ConnectorCatalogue.settings)
            #expect(loaded.settings.store.server == "\(here)/\(up)\(folder)/var/pushmta.db")
        }
    }

    @Test func `a missing file is reported in one line without a position`() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try ConfigurationFile.load(
                path: "/nonexistent/serverConf.xml", schema: ConnectorCatalogue.settings)
        }
        #expect(error.cause == .unreadable)
        #expect(
            error.description
                == "/nonexistent/serverConf.xml: error: cannot be opened: the file does not exist; change to the "
                + "folder in which you ran 'pushmta init', or specify the file with --config"
        )
    }

    @Test func `a folder or a pipe is refused as a file, and reading it does not block`() throws {
        try TemporaryFolder.with { folder in
            #expect(unsafe mkfifo("\(folder)/pipe", 0o600) == 0)
            for path in [folder, "\(folder)/pipe"] {
                let error = try #require(throws: ConfigurationError.self) {
                    try ConfigurationFile.load(path: path, schema: ConnectorCatalogue.settings)
                }
                #expect(error.description == "\(path): error: cannot be read: not a regular file")
            }
        }
    }

    @Test func `an oversized file is not read completely`() throws {
        try TemporaryFolder.with { folder in
            let path = "\(folder)/endless.xml"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(unsafe truncate(path, 1 << 40) == 0)
            let error = try #require(throws: ConfigurationError.self) {
                try ConfigurationFile.load(path: path, schema: ConnectorCatalogue.settings)
            }
            #expect(error.cause == .unreadable)
            #expect(
                error.description
                    == "\(path): error: the file has 1099511627776 bytes; the maximum is 1048576")
        }
    }
}
