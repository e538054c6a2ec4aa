import xml.etree.ElementTree as ET, sys
root = ET.fromstring(sys.stdin.read())
for item in root.iter("item"): item.set("n", str(len(item.text or "")))
ET.indent(root)
print(ET.tostring(root, encoding="unicode"), root.find("./item[@id='2']").text)
