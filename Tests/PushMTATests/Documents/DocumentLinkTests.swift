import Foundation
import Testing

/// Tests the links between pages and to other files of the repository.
struct DocumentLinkTests {
    /// The anchors of each page, by the page's absolute path. They are derived once, because many links lead to
    /// the same pages.
    private static let anchors = Dictionary(
        uniqueKeysWithValues: DocumentPage.all.map { page in
            (PushMTATests.repository.appending(path: page.path).standardizedFileURL.path, page.anchors)
        })

    @Test(arguments: DocumentPage.all)
    func `each link on a page leads to an existing file and heading`(page: DocumentPage) throws {
        let folder = PushMTATests.repository.appending(path: page.path).deletingLastPathComponent()
        for link in page.links {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target =
                parts[0].isEmpty
                ? PushMTATests.repository.appending(path: page.path).standardizedFileURL
                : URL(filePath: String(parts[0]), relativeTo: folder).standardizedFileURL
            guard FileManager.default.fileExists(atPath: target.path) else {
                Issue.record("\(page.path): there is no file for \(link)")
                continue
            }
            guard parts.count == 2, target.pathExtension == "md" else { continue }
            let anchors = try #require(
                Self.anchors[target.path], "\(page.path): \(link) does not lead to a page of the documents")
            #expect(anchors.contains(String(parts[1])), "\(page.path): there is no heading for \(link)")
        }
    }
}
