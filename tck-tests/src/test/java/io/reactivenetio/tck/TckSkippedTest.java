// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Reads the reports of the TCK, which has run before: a rule that has to be held must not be skipped. */
class TckSkippedTest {

    @Test
    void shouldSkipOnlyWhatCannotBeTestedOrIsForMulticastPublishers() throws Exception {
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        List<String> skipped = new ArrayList<>();
        int ran = 0;
        Path folder = Path.of("target", "surefire-reports");
        try (DirectoryStream<Path> reports = Files.newDirectoryStream(folder, "TEST-*TckTest.xml")) {
            for (Path report : reports) {
                NodeList cases = parser.parse(report.toFile()).getElementsByTagName("testcase");
                for (int i = 0; i < cases.getLength(); i++) {
                    Element test = (Element) cases.item(i);
                    if (test.getElementsByTagName("skipped").getLength() == 0) {
                        ran++;
                    } else {
                        skipped.add(test.getAttribute("name"));
                    }
                }
            }
        }
        assertThat(ran).as("tests of the TCK that ran").isPositive();
        assertThat(skipped).isNotEmpty().allMatch(name -> name.startsWith("untested_") || name.startsWith("optional_spec111_"));
    }
}
